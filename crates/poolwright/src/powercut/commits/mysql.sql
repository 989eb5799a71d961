SET group_concat_max_len = 1000000;
USE sbtest;
SELECT CONCAT(
    '{"sessions": [', COALESCE((
        SELECT GROUP_CONCAT(CONCAT('[', session, ',', n, ',', last, ']')) FROM
            (SELECT session, COUNT(*) AS n, MAX(number) AS last FROM powercut GROUP BY session) AS s), ''),
    '], "sums": [',
    (SELECT COALESCE(SUM(delta), 0) FROM powercut), ',',
    (SELECT COALESCE(SUM(delta), 0) FROM powercut_history), ',',
    (SELECT COALESCE(SUM(total), 0) FROM powercut_total), ',',
    (SELECT SUM(k) FROM sbtest1 FORCE INDEX (PRIMARY)) - (SELECT k FROM powercut_base),
    '], "rows": [', (SELECT COUNT(*) FROM powercut), ',', (SELECT COUNT(*) FROM powercut_history), ']}')
