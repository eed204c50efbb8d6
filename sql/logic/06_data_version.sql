-- Published data may have changed: processes that keep rendered documents ask for the version in api.freshness every second. Call it last in
-- a transaction: every other caller waits for the row until that transaction ends.
create function logic.raise_data_version() returns void language sql as $$
  update rollup.freshness set data_version = data_version + 1
$$;
revoke all on function logic.raise_data_version from public;
