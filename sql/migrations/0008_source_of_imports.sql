-- An import remembers which source of the network file it was read by; null: it was read by none.

alter table raw.import add column source_name text;
