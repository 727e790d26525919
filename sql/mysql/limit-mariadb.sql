-- What MariaDB may spend on a statement. {seconds}
SET SESSION max_statement_time = {seconds};
