-- What animals of a loss died of, as far as the farm can tell; null: nobody said.
alter table survival_changes add column cause TEXT;
