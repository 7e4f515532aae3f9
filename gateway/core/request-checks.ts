import { mayOnFarm, type Right } from '#contract/rights.ts';
import type { FarmRole } from '#contract/words.ts';
import { AppError, forbidden } from './errors.ts';
import type { Caller, FarmAccess, Request } from './route.ts';

type AnyRequest = Request<unknown, unknown, unknown>;

/** The caller of a route that needs one. */
export function signedIn(request: Pick<AnyRequest, 'caller'>): Caller {
  if (request.caller === null) throw notAuthenticated();
  return request.caller;
}

/** The farm of a route whose access rule names one. */
export function onFarm(request: Pick<AnyRequest, 'farm'>): FarmAccess {
  if (request.farm === null) throw new Error('this route has no farm in its access rule');
  return request.farm;
}

export function notAuthenticated(): AppError {
  return new AppError(401, 'Not authenticated', {
    code: 'NOT_AUTHENTICATED',
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/** The token that came is not one that counts; why is not told. */
export function invalidToken(): AppError {
  return new AppError(401, 'Could not validate credentials', {
    code: 'INVALID_TOKEN',
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  });
}

/** 412 when the caller's If-Match is older than the row. */
export function requireMatch(request: Pick<AnyRequest, 'ifMatch'>, row: { rev: number }): void {
  if (request.ifMatch === null || request.ifMatch === row.rev) return;
  throw new AppError(412, 'This was changed by someone else meanwhile; load it again', {
    code: 'PRECONDITION_FAILED',
  });
}

/** 403 when the caller's role on this farm is too small. */
export function requireRight(role: FarmRole, right: Right): void {
  if (!mayOnFarm(role, right)) throw forbidden(`Your role on this farm (${role}) does not allow this`);
}
