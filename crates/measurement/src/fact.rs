//! Facts of a trial that do not change while it runs.

use crate::named::named;

named! {
    /// A fact of the built pool or of the client.
    #[derive(Copy)]
    pub enum Fact {
        /// Bytes of the client's files, as scaled.
        FilesBytes = "files.bytes",
        /// Jobs of fio, clones counted; 0 of another client.
        FilesJobs = "files.jobs",
        /// Operations in the client's logs, from which the seconds of a record are, before those were
        /// brought to the client's own counts. Records of earlier versions lack it.
        LoggedOps = "client.logged_ops",
        /// Virtual seconds from the machine's start until the pool was built.
        BuiltSeconds = "machine.built_s",
        /// Rows of pgbench's table of accounts, as scaled.
        PostgresqlAccounts = "postgresql.accounts",
        /// pgbench's scale factor, as scaled.
        PostgresqlBranches = "postgresql.branches",
        /// Rows of each of sysbench's tables, as scaled.
        MysqlRows = "mysql.rows",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Named;

    #[test]
    fn every_fact_is_read_back_by_its_name() {
        for fact in Fact::NAMED {
            assert_eq!(Fact::parse(&fact.name()), Some(*fact));
        }
    }
}
