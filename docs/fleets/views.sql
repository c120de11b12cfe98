-- Views of a fleet's tables for DuckDB, to run in the folder of the tables:
--   cd tables && duckdb -init PATH/views.sql

-- Each survey once: two writers may have appended the same one. A part that lacks a file is not
-- used, as by nearfar: its surveys may have been appended again.
CREATE OR REPLACE VIEW surveys AS
SELECT * REPLACE (TRY_CAST(started AS TIMESTAMP) AS started)
FROM read_parquet('machines/*/*.parquet', hive_partitioning = true, union_by_name = true)
WHERE part IN (SELECT parse_filename(file, true) FROM glob('cells/*/*.parquet'))
    AND part IN (SELECT parse_filename(file, true) FROM glob('settings/*/*.parquet'))
QUALIFY row_number() OVER (PARTITION BY survey ORDER BY part) = 1;

-- The newest survey of each machine.
CREATE OR REPLACE VIEW machines AS
SELECT * FROM surveys
QUALIFY row_number() OVER (PARTITION BY machine ORDER BY started DESC) = 1;

-- Each figure with its 95 % interval: ns, or bytes/s.
CREATE OR REPLACE VIEW figures AS
SELECT s.machine, s.model, s.nodes, s.started, s.day, s.survey,
    c.instrument, c.probe, c.unit, c.row_label, c.column_label, c.treatment, c.figure,
    c.figure * exp(-1.96 * c.error) AS low, c.figure * exp(1.96 * c.error) AS high
FROM read_parquet('cells/*/*.parquet', hive_partitioning = true, union_by_name = true) AS c
JOIN surveys AS s ON s.part = c.part AND s.survey = c.survey AND s.day IS NOT DISTINCT FROM c.day;

-- The newest figure of each cell of each machine.
CREATE OR REPLACE VIEW newest_figures AS
SELECT * FROM figures
QUALIFY row_number() OVER (
    PARTITION BY machine, instrument, probe, unit, row_label, column_label, treatment
    ORDER BY started DESC) = 1;

-- Settings of each survey; a value that was not readable is null.
CREATE OR REPLACE VIEW settings AS
SELECT s.machine, s.model, s.started, s.day, s.survey, t.setting, t.value
FROM read_parquet('settings/*/*.parquet', hive_partitioning = true, union_by_name = true) AS t
JOIN surveys AS s ON s.part = t.part AND s.setting_set = t.setting_set
    AND s.day IS NOT DISTINCT FROM t.day;

-- What runs found, and the runs.
CREATE OR REPLACE VIEW findings AS
SELECT * REPLACE (CAST(judged AS TIMESTAMP) AS judged)
FROM read_parquet('findings/*/*.parquet', hive_partitioning = true, union_by_name = true);
CREATE OR REPLACE VIEW runs AS
SELECT * REPLACE (CAST(judged AS TIMESTAMP) AS judged)
FROM read_parquet('runs/*/*.parquet', hive_partitioning = true, union_by_name = true);
