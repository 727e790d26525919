-- What tells how a load goes, a few dozen of some hundred: it is asked at every interval.
SHOW GLOBAL STATUS WHERE Variable_name IN ('Aborted_clients', 'Aborted_connects', 'Com_commit', 'Com_delete', 'Com_insert', 'Com_rollback',
	'Com_select', 'Com_update', 'Connection_errors_max_connections', 'Connections', 'Created_tmp_disk_tables', 'Innodb_buffer_pool_pages_dirty',
	'Innodb_buffer_pool_pages_free', 'Innodb_buffer_pool_pages_total', 'Innodb_buffer_pool_read_requests', 'Innodb_buffer_pool_reads',
	'Innodb_buffer_pool_wait_free', 'Innodb_checkpoint_age', 'Innodb_data_fsyncs', 'Innodb_data_pending_fsyncs', 'Innodb_data_pending_reads',
	'Innodb_data_pending_writes', 'Innodb_data_read', 'Innodb_data_reads', 'Innodb_data_writes', 'Innodb_data_written', 'Innodb_deadlocks',
	'Innodb_history_list_length', 'Innodb_log_waits', 'Innodb_os_log_fsyncs', 'Innodb_os_log_written', 'Innodb_row_lock_current_waits',
	'Innodb_row_lock_time', 'Innodb_row_lock_time_max', 'Innodb_row_lock_waits', 'Innodb_rows_inserted', 'Innodb_rows_read',
	'Innodb_rows_updated', 'Max_used_connections', 'Queries', 'Questions', 'Slow_queries', 'Table_locks_waited', 'Threads_connected',
	'Threads_created', 'Threads_running', 'Uptime');
