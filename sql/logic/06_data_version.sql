-- Announces that published data may have changed: processes that keep rendered documents listen on channel airseries_data, and ask for
-- api.freshness then. Call it last in a transaction: every other caller waits for the row until that transaction ends.
create function logic.raise_data_version() returns void language sql as $$
  with raised as (update rollup.freshness set data_version = data_version + 1 returning data_version)
  select pg_notify('airseries_data', data_version::text) from raised
$$;
revoke all on function logic.raise_data_version from public;
