-- Plain PostgreSQL: recomputes the buckets of a level that lie within the range, for all subjects, with the level's own
-- select. A cached plan would not know the range, and compiling (jit) a statement takes longer than running it for one
-- hour.
create or replace procedure {{rollup}}.recompute(level text, since timestamptz, until timestamptz) language plpgsql
set plan_cache_mode = force_custom_plan set jit = off as $$
#variable_conflict use_column
begin
  case level
  {{recompute_levels}}
  end case;
end $$;
