// A migration that only adds leaves the version before able to run: what an update must be able to go back to. Judged by
// a short list of what is harmless, never by a list of what is not.

const NAME = String.raw`"?[a-z_][a-z0-9_]*"?`;

/**
 * Whether every statement adds something that a program which does not know it never touches: tables and indexes of
 * their own, and columns that may stay empty or have a default. A trigger or a unique index on a table that was there
 * before may refuse what the version before writes; a trigger that runs afterwards, refuses nothing and writes only tables
 * made here keeps them whatever version runs.
 */
export function isExpandOnly(sql: string): boolean {
  const statements = statementsOf(sql);
  const made = new Set<string>();
  const keepers = new Set<string>();
  return statements.every((statement) => {
    const table = new RegExp(`^create (?:unlogged )?table (?:if not exists )?(${NAME})`).exec(statement)?.[1];
    if (table !== undefined) {
      made.add(table);
      return true;
    }
    const index = new RegExp(
      `^create (unique )?index (?:concurrently )?(?:if not exists )?${NAME} on (${NAME})`,
    ).exec(statement);
    if (index !== null) return index[1] === undefined || made.has(index[2] ?? '');
    const trigger = new RegExp(`^create trigger (?:if not exists )?${NAME} .*? on (${NAME}) `).exec(
      statement,
    );
    if (trigger !== null) return made.has(trigger[1] ?? '') || isKeeper(statement, made, keepers);
    const keeper = new RegExp(`^create function (${NAME})\\(\\) returns trigger `).exec(statement)?.[1];
    if (keeper !== undefined) {
      if (!writesOnly(statement, made)) return false;
      keepers.add(keeper);
      return true;
    }
    const target = new RegExp(`^(?:insert into|delete from|update) (${NAME})`).exec(statement)?.[1];
    if (target !== undefined) return made.has(target);
    const column = new RegExp(`^alter table ${NAME} add (?:column )?(?:if not exists )?${NAME} (.*)$`).exec(
      statement,
    );
    if (column === null) return false;
    const rest = column[1] ?? '';
    const mayStayAway = !/\bnot null\b/.test(rest) || /\bdefault\b/.test(rest);
    // several at once are read no further
    return (
      mayStayAway && !/\b(?:unique|primary key|check)\b/.test(rest) && !/, (?:add|drop|alter)\b/.test(rest)
    );
  });
}

/** A trigger that runs after a change and only follows it. */
function isKeeper(trigger: string, made: ReadonlySet<string>, keepers: ReadonlySet<string>): boolean {
  const [head = '', body] = trigger.split(/ begin (.*)/s);
  if (!new RegExp(`^create trigger (?:if not exists )?${NAME} after `).test(head)) return false;
  if (body !== undefined) return writesOnly(body, made);
  const follows = new RegExp(` execute function (${NAME})\\(\\)$`).exec(head)?.[1];
  return follows !== undefined && keepers.has(follows);
}

/** Whether a body writes these tables and no other, and does nothing else that others would feel. */
function writesOnly(body: string, tables: ReadonlySet<string>): boolean {
  if (/\b(?:raise|execute|perform|call|truncate|drop|alter|create table|lock)\b/.test(body)) return false;
  const written = body.matchAll(
    new RegExp(`\\b(?:insert into|delete from|update(?! set\\b)) (${NAME})`, 'g'),
  );
  return [...written].every(([, table]) => tables.has(table ?? ''));
}

/** Statements in small letters and single spaces, without comments; a trigger with its body is one. */
function statementsOf(sql: string): string[] {
  const plain = sql
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/\/\*[\s\S]*?\*\//g, ' ')
    .toLowerCase()
    .replaceAll(/\s+/g, ' ');
  const statements: string[] = [];
  let open = '';
  for (const part of plain.split(';')) {
    open = open === '' ? part.trim() : `${open};${part}`;
    const isBody = /^create (?:or replace )?(?:trigger|function)\b/.test(open);
    // of a trigger of SQLite the last word is its end; of one of PostgreSQL it ends here
    const isWhole = !isBody || !/\bbegin\b/.test(open) || /\bend\s*$|\bend \$\$/.test(open);
    if (!isWhole) continue;
    if (open !== '') statements.push(open);
    open = '';
  }
  if (open.trim() !== '') statements.push(open);
  return statements;
}
