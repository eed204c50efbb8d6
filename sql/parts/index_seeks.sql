-- Settings of a function that reads years of one station or region, or hours of many sensors, one after the other. Its ranges of time are short,
-- and the planner might take an index of times and throw away what it finds of all the others. So rows cost more than pages here. At that
-- price it would also start parallel workers, which takes ten times as long as all the rest, and compile, which takes seconds. A BRIN index of
-- times would need none of this, but asking it for the newest bucket takes 405 ms instead of 0.4 (4 million hours on plain PostgreSQL 18).
set cpu_tuple_cost = 100 set random_page_cost = 1 set max_parallel_workers_per_gather = 0 set jit = off
{{seek settings}}
