/** One field a caller got wrong; `row` and `column` of a file that was sent. */
export type FieldError = {
  path: string;
  code: string;
  message: string;
  row?: number;
  column?: string | null;
};

export type ErrorExtras = {
  /** Stable word for programs, UPPER_SNAKE. */
  code?: string;
  errors?: readonly FieldError[];
  headers?: Readonly<Record<string, string>>;
  /** Additive fields beside `detail`, for example `resource`, `current`, `max` of a limit. */
  more?: Readonly<Record<string, unknown>>;
};

/**
 * An expected failure that the caller is told about. `status` is its HTTP status; other ways in translate it.
 * The message is shown as `detail`: plain words, what happened and what to do.
 */
export class AppError extends Error {
  readonly status: number;
  readonly extras: ErrorExtras;

  constructor(status: number, detail: string, extras: ErrorExtras = {}) {
    super(detail);
    this.name = 'AppError';
    this.status = status;
    this.extras = extras;
  }
}

export function notFound(what: string): AppError {
  return new AppError(404, `${what} not found`, { code: 'NOT_FOUND' });
}

export function forbidden(detail = 'You do not have permission to do this'): AppError {
  return new AppError(403, detail, { code: 'FORBIDDEN' });
}

export function conflict(detail: string, code = 'CONFLICT'): AppError {
  return new AppError(409, detail, { code });
}

/** A validation error on one field; `status` is 400 for ponds, control points and aerators, else 422. */
export function invalidField(status: 400 | 422, path: string, message: string, code = 'INVALID'): AppError {
  return new AppError(status, `${path}: ${message}`, {
    code: 'VALIDATION_ERROR',
    errors: [{ path, code, message }],
  });
}

/** A value that must be unique is taken already: 400 everywhere, naming the field. */
export function taken(path: string, detail: string): AppError {
  return new AppError(400, detail, {
    code: 'ALREADY_EXISTS',
    errors: [{ path, code: 'ALREADY_EXISTS', message: detail }],
  });
}

/** What a use case read has changed before its commit; it is run again. */
export class StaleError extends Error {
  constructor(what: string, options?: ErrorOptions) {
    super(`${what} changed meanwhile`, options);
    this.name = 'StaleError';
  }
}

/** A unique index refused a row; `index` is its name, which the schema chooses as `<table>_<field>_unique`. */
export class UniqueViolation extends Error {
  readonly index: string;

  constructor(index: string) {
    super(`unique index ${index} refused a row`);
    this.name = 'UniqueViolation';
    this.index = index;
  }
}

/** The database cannot take a write now: disk full, read-only, locked for too long, connection gone. */
export class StorageUnavailable extends Error {
  readonly reason: 'full' | 'locked' | 'io' | 'connection';

  constructor(reason: StorageUnavailable['reason'], cause: unknown) {
    super(`storage unavailable: ${reason}`, { cause });
    this.name = 'StorageUnavailable';
    this.reason = reason;
  }
}

/** What was read to decide by was changed by others, again and again. */
export const busy = () =>
  new AppError(503, 'Somebody else is changing the same thing; please try again', {
    code: 'BUSY',
    headers: { 'Retry-After': '1' },
  });
