import { SqliteDialect, type SqliteDialectConfig, SqliteQueryCompiler } from 'kysely';

/**
 * Statements that SQLite plans once, however often they run. It looks at what is bound to a bare mark beside `=` or
 * `limit`, and where a partial index could match, and so plans anew whenever another value is bound; the driver then
 * compiles anew how its rows are made. That was most of the time of a short read, and there is no switch for it.
 * It does not look behind a `+`, which changes no value. Flags are written out: `hidden = 0` is what partial indexes ask.
 */
export class PlanOnceCompiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (value === 0 || value === 1) this.append(String(value));
    else super.appendValue(value);
  }

  protected override getCurrentParameterPlaceholder(): string {
    return `+${super.getCurrentParameterPlaceholder()}`;
  }
}

export function planOnceDialect(database: SqliteDialectConfig['database']): SqliteDialect {
  const dialect = new SqliteDialect({ database });
  return Object.assign(dialect, { createQueryCompiler: () => new PlanOnceCompiler() });
}
