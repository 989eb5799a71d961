SELECT json_build_object(
    'sessions', (SELECT coalesce(json_agg(json_build_array(session, rows, last)), '[]') FROM
        (SELECT session, count(*) AS rows, max(number) AS last FROM powercut GROUP BY session) AS s),
    'sums', json_build_array(
        (SELECT coalesce(sum(delta), 0) FROM powercut),
        (SELECT coalesce(sum(delta), 0) FROM pgbench_history),
        (SELECT coalesce(sum(abalance), 0) FROM pgbench_accounts),
        (SELECT coalesce(sum(tbalance), 0) FROM pgbench_tellers)),
    'rows', json_build_array((SELECT count(*) FROM powercut), (SELECT count(*) FROM pgbench_history)))
