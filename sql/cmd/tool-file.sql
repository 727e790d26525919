-- One of these files. :file :path
INSERT INTO main.file (run_no, file_no, path, kind, bytes, compression, lines, records, events, rejected, repaired, resent, cut)
VALUES (1, :file, :path, 'loadgen', 0, 'none', 0, 0, 0, 0, 0, 0, 0)
