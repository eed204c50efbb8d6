-- Announces that published data may have changed: processes that cache documents read the version from api.freshness
-- every second. Call it last in a transaction: every other caller waits for the row until that transaction ends.
create function logic.raise_data_version() returns void language sql as $$
  update rollup.freshness set data_version = data_version + 1
$$;
revoke all on function logic.raise_data_version from public;
