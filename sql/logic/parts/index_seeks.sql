-- Settings for a function that reads years of one station or region, or hours of many sensors, one after the other. Its
-- ranges of time are short, so the planner might choose an index on time and discard the rows of all others. To prevent
-- that, rows cost more than pages here. At that cost the planner would also start parallel workers, which take ten
-- times as long as all the rest, and compile (jit), which takes seconds. A BRIN index on time would need none of this,
-- but finding the newest bucket in it takes 405 ms instead of 0.4 (4 million hours on plain PostgreSQL 18).
set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
{{seek settings}}
