-- Stored values follow the field's terms: reasons of screened periods, and what differences in an audit refer to.
update raw.screened_period set reason = 'zero_values' where reason = 'all_zero';
update raw.screened_period set reason = 'humidity_saturated' where reason = 'humidity_pinned';

update rollup.audit set first_differences = (
  select jsonb_agg(d.difference - 'place' || jsonb_build_object('subject', d.difference -> 'place') order by d.nth)
  from jsonb_array_elements(first_differences) with ordinality as d(difference, nth)
)
where first_differences @? '$[*].place';
