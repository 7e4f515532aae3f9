-- What the measurements of a pond add up to, per hour and per month of UTC: an hour is the 13 first letters of an instant,
-- a month the 7 first. Lists, averages and trends read these instead of the history behind them. Values are added up as whole
-- millionths, so that the order in which they came, left and changed says nothing; squares in two parts, the higher in
-- thousandths, the lower in millionths of millionths. Lowest and highest values are of hours alone. Kept by triggers, so that every
-- program that writes measurements keeps them, also the version before this one.
create table measurement_sums (
  pond_id TEXT COLLATE "C" not null,
  letters BIGINT not null,
  stretch TEXT COLLATE "C" not null,
  count BIGINT not null,
  temperature_n BIGINT not null, temperature_sum BIGINT not null, temperature_sq_high BIGINT not null, temperature_sq_low BIGINT not null, temperature_min DOUBLE PRECISION, temperature_max DOUBLE PRECISION,
  dissolved_oxygen_n BIGINT not null, dissolved_oxygen_sum BIGINT not null, dissolved_oxygen_sq_high BIGINT not null, dissolved_oxygen_sq_low BIGINT not null, dissolved_oxygen_min DOUBLE PRECISION, dissolved_oxygen_max DOUBLE PRECISION,
  ph_n BIGINT not null, ph_sum BIGINT not null, ph_sq_high BIGINT not null, ph_sq_low BIGINT not null, ph_min DOUBLE PRECISION, ph_max DOUBLE PRECISION,
  salinity_n BIGINT not null, salinity_sum BIGINT not null, salinity_sq_high BIGINT not null, salinity_sq_low BIGINT not null, salinity_min DOUBLE PRECISION, salinity_max DOUBLE PRECISION,
  alkalinity_n BIGINT not null, alkalinity_sum BIGINT not null, alkalinity_sq_high BIGINT not null, alkalinity_sq_low BIGINT not null, alkalinity_min DOUBLE PRECISION, alkalinity_max DOUBLE PRECISION,
  ammonia_n BIGINT not null, ammonia_sum BIGINT not null, ammonia_sq_high BIGINT not null, ammonia_sq_low BIGINT not null, ammonia_min DOUBLE PRECISION, ammonia_max DOUBLE PRECISION,
  nitrite_n BIGINT not null, nitrite_sum BIGINT not null, nitrite_sq_high BIGINT not null, nitrite_sq_low BIGINT not null, nitrite_min DOUBLE PRECISION, nitrite_max DOUBLE PRECISION,
  nitrate_n BIGINT not null, nitrate_sum BIGINT not null, nitrate_sq_high BIGINT not null, nitrate_sq_low BIGINT not null, nitrate_min DOUBLE PRECISION, nitrate_max DOUBLE PRECISION,
  transparency_n BIGINT not null, transparency_sum BIGINT not null, transparency_sq_high BIGINT not null, transparency_sq_low BIGINT not null, transparency_min DOUBLE PRECISION, transparency_max DOUBLE PRECISION,
  primary key (pond_id, letters, stretch)
);

-- Units that wait for each other here run again, as they do anywhere else.
create function keep_measurement_sums() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    if old.hidden = 0 then
  update measurement_sums set count = count - 1,
    temperature_n = temperature_n - (old.temperature is not null)::int, temperature_sum = temperature_sum - coalesce(round(old.temperature * 1000000)::bigint, 0), temperature_sq_high = temperature_sq_high - coalesce(round(old.temperature * 1000000)::bigint * round(old.temperature * 1000000)::bigint / 1000000000, 0), temperature_sq_low = temperature_sq_low - coalesce(round(old.temperature * 1000000)::bigint * round(old.temperature * 1000000)::bigint % 1000000000, 0),
    dissolved_oxygen_n = dissolved_oxygen_n - (old.dissolved_oxygen is not null)::int, dissolved_oxygen_sum = dissolved_oxygen_sum - coalesce(round(old.dissolved_oxygen * 1000000)::bigint, 0), dissolved_oxygen_sq_high = dissolved_oxygen_sq_high - coalesce(round(old.dissolved_oxygen * 1000000)::bigint * round(old.dissolved_oxygen * 1000000)::bigint / 1000000000, 0), dissolved_oxygen_sq_low = dissolved_oxygen_sq_low - coalesce(round(old.dissolved_oxygen * 1000000)::bigint * round(old.dissolved_oxygen * 1000000)::bigint % 1000000000, 0),
    ph_n = ph_n - (old.ph is not null)::int, ph_sum = ph_sum - coalesce(round(old.ph * 1000000)::bigint, 0), ph_sq_high = ph_sq_high - coalesce(round(old.ph * 1000000)::bigint * round(old.ph * 1000000)::bigint / 1000000000, 0), ph_sq_low = ph_sq_low - coalesce(round(old.ph * 1000000)::bigint * round(old.ph * 1000000)::bigint % 1000000000, 0),
    salinity_n = salinity_n - (old.salinity is not null)::int, salinity_sum = salinity_sum - coalesce(round(old.salinity * 1000000)::bigint, 0), salinity_sq_high = salinity_sq_high - coalesce(round(old.salinity * 1000000)::bigint * round(old.salinity * 1000000)::bigint / 1000000000, 0), salinity_sq_low = salinity_sq_low - coalesce(round(old.salinity * 1000000)::bigint * round(old.salinity * 1000000)::bigint % 1000000000, 0),
    alkalinity_n = alkalinity_n - (old.alkalinity is not null)::int, alkalinity_sum = alkalinity_sum - coalesce(round(old.alkalinity * 1000000)::bigint, 0), alkalinity_sq_high = alkalinity_sq_high - coalesce(round(old.alkalinity * 1000000)::bigint * round(old.alkalinity * 1000000)::bigint / 1000000000, 0), alkalinity_sq_low = alkalinity_sq_low - coalesce(round(old.alkalinity * 1000000)::bigint * round(old.alkalinity * 1000000)::bigint % 1000000000, 0),
    ammonia_n = ammonia_n - (old.ammonia is not null)::int, ammonia_sum = ammonia_sum - coalesce(round(old.ammonia * 1000000)::bigint, 0), ammonia_sq_high = ammonia_sq_high - coalesce(round(old.ammonia * 1000000)::bigint * round(old.ammonia * 1000000)::bigint / 1000000000, 0), ammonia_sq_low = ammonia_sq_low - coalesce(round(old.ammonia * 1000000)::bigint * round(old.ammonia * 1000000)::bigint % 1000000000, 0),
    nitrite_n = nitrite_n - (old.nitrite is not null)::int, nitrite_sum = nitrite_sum - coalesce(round(old.nitrite * 1000000)::bigint, 0), nitrite_sq_high = nitrite_sq_high - coalesce(round(old.nitrite * 1000000)::bigint * round(old.nitrite * 1000000)::bigint / 1000000000, 0), nitrite_sq_low = nitrite_sq_low - coalesce(round(old.nitrite * 1000000)::bigint * round(old.nitrite * 1000000)::bigint % 1000000000, 0),
    nitrate_n = nitrate_n - (old.nitrate is not null)::int, nitrate_sum = nitrate_sum - coalesce(round(old.nitrate * 1000000)::bigint, 0), nitrate_sq_high = nitrate_sq_high - coalesce(round(old.nitrate * 1000000)::bigint * round(old.nitrate * 1000000)::bigint / 1000000000, 0), nitrate_sq_low = nitrate_sq_low - coalesce(round(old.nitrate * 1000000)::bigint * round(old.nitrate * 1000000)::bigint % 1000000000, 0),
    transparency_n = transparency_n - (old.transparency is not null)::int, transparency_sum = transparency_sum - coalesce(round(old.transparency * 1000000)::bigint, 0), transparency_sq_high = transparency_sq_high - coalesce(round(old.transparency * 1000000)::bigint * round(old.transparency * 1000000)::bigint / 1000000000, 0), transparency_sq_low = transparency_sq_low - coalesce(round(old.transparency * 1000000)::bigint * round(old.transparency * 1000000)::bigint % 1000000000, 0)
  where pond_id = old.pond_id and ((letters = 7 and stretch = substr(old.measurement_date, 1, 7)) or (letters = 13 and stretch = substr(old.measurement_date, 1, 13)));
  delete from measurement_sums where pond_id = old.pond_id and ((letters = 7 and stretch = substr(old.measurement_date, 1, 7)) or (letters = 13 and stretch = substr(old.measurement_date, 1, 13))) and count = 0;
  update measurement_sums set (temperature_min, temperature_max, dissolved_oxygen_min, dissolved_oxygen_max, ph_min, ph_max, salinity_min, salinity_max, alkalinity_min, alkalinity_max, ammonia_min, ammonia_max, nitrite_min, nitrite_max, nitrate_min, nitrate_max, transparency_min, transparency_max) =
    (select min(temperature), max(temperature), min(dissolved_oxygen), max(dissolved_oxygen), min(ph), max(ph), min(salinity), max(salinity), min(alkalinity), max(alkalinity), min(ammonia), max(ammonia), min(nitrite), max(nitrite), min(nitrate), max(nitrate), min(transparency), max(transparency) from measurements
      where pond_id = old.pond_id and hidden = 0 and measurement_date >= substr(old.measurement_date, 1, 13)
        and measurement_date < substr(old.measurement_date, 1, 13) || '~')
  where pond_id = old.pond_id and letters = 13 and stretch = substr(old.measurement_date, 1, 13);
    end if;
  end if;
  if tg_op <> 'DELETE' then
    if new.hidden = 0 then
  insert into measurement_sums (pond_id, letters, stretch, count,
    temperature_n, temperature_sum, temperature_sq_high, temperature_sq_low, temperature_min, temperature_max,
    dissolved_oxygen_n, dissolved_oxygen_sum, dissolved_oxygen_sq_high, dissolved_oxygen_sq_low, dissolved_oxygen_min, dissolved_oxygen_max,
    ph_n, ph_sum, ph_sq_high, ph_sq_low, ph_min, ph_max,
    salinity_n, salinity_sum, salinity_sq_high, salinity_sq_low, salinity_min, salinity_max,
    alkalinity_n, alkalinity_sum, alkalinity_sq_high, alkalinity_sq_low, alkalinity_min, alkalinity_max,
    ammonia_n, ammonia_sum, ammonia_sq_high, ammonia_sq_low, ammonia_min, ammonia_max,
    nitrite_n, nitrite_sum, nitrite_sq_high, nitrite_sq_low, nitrite_min, nitrite_max,
    nitrate_n, nitrate_sum, nitrate_sq_high, nitrate_sq_low, nitrate_min, nitrate_max,
    transparency_n, transparency_sum, transparency_sq_high, transparency_sq_low, transparency_min, transparency_max)
  select new.pond_id, l.letters, substr(new.measurement_date, 1, l.letters), 1,
    (new.temperature is not null)::int, coalesce(round(new.temperature * 1000000)::bigint, 0), coalesce(round(new.temperature * 1000000)::bigint * round(new.temperature * 1000000)::bigint / 1000000000, 0), coalesce(round(new.temperature * 1000000)::bigint * round(new.temperature * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.temperature end, case l.letters when 13 then new.temperature end,
    (new.dissolved_oxygen is not null)::int, coalesce(round(new.dissolved_oxygen * 1000000)::bigint, 0), coalesce(round(new.dissolved_oxygen * 1000000)::bigint * round(new.dissolved_oxygen * 1000000)::bigint / 1000000000, 0), coalesce(round(new.dissolved_oxygen * 1000000)::bigint * round(new.dissolved_oxygen * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.dissolved_oxygen end, case l.letters when 13 then new.dissolved_oxygen end,
    (new.ph is not null)::int, coalesce(round(new.ph * 1000000)::bigint, 0), coalesce(round(new.ph * 1000000)::bigint * round(new.ph * 1000000)::bigint / 1000000000, 0), coalesce(round(new.ph * 1000000)::bigint * round(new.ph * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.ph end, case l.letters when 13 then new.ph end,
    (new.salinity is not null)::int, coalesce(round(new.salinity * 1000000)::bigint, 0), coalesce(round(new.salinity * 1000000)::bigint * round(new.salinity * 1000000)::bigint / 1000000000, 0), coalesce(round(new.salinity * 1000000)::bigint * round(new.salinity * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.salinity end, case l.letters when 13 then new.salinity end,
    (new.alkalinity is not null)::int, coalesce(round(new.alkalinity * 1000000)::bigint, 0), coalesce(round(new.alkalinity * 1000000)::bigint * round(new.alkalinity * 1000000)::bigint / 1000000000, 0), coalesce(round(new.alkalinity * 1000000)::bigint * round(new.alkalinity * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.alkalinity end, case l.letters when 13 then new.alkalinity end,
    (new.ammonia is not null)::int, coalesce(round(new.ammonia * 1000000)::bigint, 0), coalesce(round(new.ammonia * 1000000)::bigint * round(new.ammonia * 1000000)::bigint / 1000000000, 0), coalesce(round(new.ammonia * 1000000)::bigint * round(new.ammonia * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.ammonia end, case l.letters when 13 then new.ammonia end,
    (new.nitrite is not null)::int, coalesce(round(new.nitrite * 1000000)::bigint, 0), coalesce(round(new.nitrite * 1000000)::bigint * round(new.nitrite * 1000000)::bigint / 1000000000, 0), coalesce(round(new.nitrite * 1000000)::bigint * round(new.nitrite * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.nitrite end, case l.letters when 13 then new.nitrite end,
    (new.nitrate is not null)::int, coalesce(round(new.nitrate * 1000000)::bigint, 0), coalesce(round(new.nitrate * 1000000)::bigint * round(new.nitrate * 1000000)::bigint / 1000000000, 0), coalesce(round(new.nitrate * 1000000)::bigint * round(new.nitrate * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.nitrate end, case l.letters when 13 then new.nitrate end,
    (new.transparency is not null)::int, coalesce(round(new.transparency * 1000000)::bigint, 0), coalesce(round(new.transparency * 1000000)::bigint * round(new.transparency * 1000000)::bigint / 1000000000, 0), coalesce(round(new.transparency * 1000000)::bigint * round(new.transparency * 1000000)::bigint % 1000000000, 0), case l.letters when 13 then new.transparency end, case l.letters when 13 then new.transparency end
  from (select 7 as letters union all select 13) as l where true
  on conflict (pond_id, letters, stretch) do update set count = measurement_sums.count + 1,
    temperature_n = measurement_sums.temperature_n + excluded.temperature_n, temperature_sum = measurement_sums.temperature_sum + excluded.temperature_sum, temperature_sq_high = measurement_sums.temperature_sq_high + excluded.temperature_sq_high, temperature_sq_low = measurement_sums.temperature_sq_low + excluded.temperature_sq_low,
    temperature_min = least(measurement_sums.temperature_min, excluded.temperature_min), temperature_max = greatest(measurement_sums.temperature_max, excluded.temperature_max),
    dissolved_oxygen_n = measurement_sums.dissolved_oxygen_n + excluded.dissolved_oxygen_n, dissolved_oxygen_sum = measurement_sums.dissolved_oxygen_sum + excluded.dissolved_oxygen_sum, dissolved_oxygen_sq_high = measurement_sums.dissolved_oxygen_sq_high + excluded.dissolved_oxygen_sq_high, dissolved_oxygen_sq_low = measurement_sums.dissolved_oxygen_sq_low + excluded.dissolved_oxygen_sq_low,
    dissolved_oxygen_min = least(measurement_sums.dissolved_oxygen_min, excluded.dissolved_oxygen_min), dissolved_oxygen_max = greatest(measurement_sums.dissolved_oxygen_max, excluded.dissolved_oxygen_max),
    ph_n = measurement_sums.ph_n + excluded.ph_n, ph_sum = measurement_sums.ph_sum + excluded.ph_sum, ph_sq_high = measurement_sums.ph_sq_high + excluded.ph_sq_high, ph_sq_low = measurement_sums.ph_sq_low + excluded.ph_sq_low,
    ph_min = least(measurement_sums.ph_min, excluded.ph_min), ph_max = greatest(measurement_sums.ph_max, excluded.ph_max),
    salinity_n = measurement_sums.salinity_n + excluded.salinity_n, salinity_sum = measurement_sums.salinity_sum + excluded.salinity_sum, salinity_sq_high = measurement_sums.salinity_sq_high + excluded.salinity_sq_high, salinity_sq_low = measurement_sums.salinity_sq_low + excluded.salinity_sq_low,
    salinity_min = least(measurement_sums.salinity_min, excluded.salinity_min), salinity_max = greatest(measurement_sums.salinity_max, excluded.salinity_max),
    alkalinity_n = measurement_sums.alkalinity_n + excluded.alkalinity_n, alkalinity_sum = measurement_sums.alkalinity_sum + excluded.alkalinity_sum, alkalinity_sq_high = measurement_sums.alkalinity_sq_high + excluded.alkalinity_sq_high, alkalinity_sq_low = measurement_sums.alkalinity_sq_low + excluded.alkalinity_sq_low,
    alkalinity_min = least(measurement_sums.alkalinity_min, excluded.alkalinity_min), alkalinity_max = greatest(measurement_sums.alkalinity_max, excluded.alkalinity_max),
    ammonia_n = measurement_sums.ammonia_n + excluded.ammonia_n, ammonia_sum = measurement_sums.ammonia_sum + excluded.ammonia_sum, ammonia_sq_high = measurement_sums.ammonia_sq_high + excluded.ammonia_sq_high, ammonia_sq_low = measurement_sums.ammonia_sq_low + excluded.ammonia_sq_low,
    ammonia_min = least(measurement_sums.ammonia_min, excluded.ammonia_min), ammonia_max = greatest(measurement_sums.ammonia_max, excluded.ammonia_max),
    nitrite_n = measurement_sums.nitrite_n + excluded.nitrite_n, nitrite_sum = measurement_sums.nitrite_sum + excluded.nitrite_sum, nitrite_sq_high = measurement_sums.nitrite_sq_high + excluded.nitrite_sq_high, nitrite_sq_low = measurement_sums.nitrite_sq_low + excluded.nitrite_sq_low,
    nitrite_min = least(measurement_sums.nitrite_min, excluded.nitrite_min), nitrite_max = greatest(measurement_sums.nitrite_max, excluded.nitrite_max),
    nitrate_n = measurement_sums.nitrate_n + excluded.nitrate_n, nitrate_sum = measurement_sums.nitrate_sum + excluded.nitrate_sum, nitrate_sq_high = measurement_sums.nitrate_sq_high + excluded.nitrate_sq_high, nitrate_sq_low = measurement_sums.nitrate_sq_low + excluded.nitrate_sq_low,
    nitrate_min = least(measurement_sums.nitrate_min, excluded.nitrate_min), nitrate_max = greatest(measurement_sums.nitrate_max, excluded.nitrate_max),
    transparency_n = measurement_sums.transparency_n + excluded.transparency_n, transparency_sum = measurement_sums.transparency_sum + excluded.transparency_sum, transparency_sq_high = measurement_sums.transparency_sq_high + excluded.transparency_sq_high, transparency_sq_low = measurement_sums.transparency_sq_low + excluded.transparency_sq_low,
    transparency_min = least(measurement_sums.transparency_min, excluded.transparency_min), transparency_max = greatest(measurement_sums.transparency_max, excluded.transparency_max);
    end if;
  end if;
  return null;
end $$;
create trigger measurement_sums_keep after insert or delete or update of pond_id, measurement_date, hidden, temperature, dissolved_oxygen, ph, salinity, alkalinity, ammonia, nitrite, nitrate, transparency on measurements
  for each row execute function keep_measurement_sums();

-- Ponds whose sums are not whole: they are added up in slices after a start, and until then read from the rows.
create table measurement_gaps (
  pond_id TEXT COLLATE "C" primary key
);
insert into measurement_gaps (pond_id)
select id from ponds where exists (select 1 from measurements where pond_id = ponds.id);
