-- A demo is known by its provider. Nothing has read this column since the demo is replaced together with its whole database.
alter table raw.installation drop column demo;
