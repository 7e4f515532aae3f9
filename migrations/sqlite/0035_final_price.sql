-- What a kilogram of the final harvest was sold for; null: not told.
alter table batches add column final_price_per_kg REAL;
