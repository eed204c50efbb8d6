-- Nothing can recompute the sensor hours of months whose readings retention has deleted. This says of each such month how many there were, and a
-- checksum of their values (logic.kept_hours), so that an audit notices when another program deletes or changes them.
create table rollup.expired_month (
  month timestamptz primary key, -- its local start
  hours bigint not null,
  checksum bigint not null
);
