-- The verdict of a year of data on a limit of the EU.
create function api.limit_verdict(is_exceeded boolean, coverage float8, is_over boolean) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select case when is_exceeded then 'exceeded'
    when not is_over then 'running'
    when coverage >= 0.85 then 'kept'
    else 'insufficient_data' end
$$;
comment on function api.limit_verdict is
  'What a year says about a limit: exceeded; running (not exceeded so far, and the year is not over); kept; or '
  'insufficient_data (not exceeded, but fewer than 85 % of its days or hours were measured: the minimum data coverage '
  'of Directive (EU) 2024/2881, Annex V, Point B). More exceedances than are allowed count even with few data (Point D).';
