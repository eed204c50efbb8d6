-- What was found wrong in use: smoke is not hidden at once (C9).

-- A period of outlier with fewer than 24 suspect hours keeps them, so that later runs can count; regions leave the
-- station out where they are null. Older periods stay as they were published: `screen --from` judges them again.
alter table raw.screened_period add hours timestamptz[];
