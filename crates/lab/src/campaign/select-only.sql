\set aid random(1, :accounts)
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
