import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Route } from '#core/route.ts';
import type { Reply } from './app.ts';
import type { ApiDocument, Operation } from './sample-request.ts';

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  email: /@/,
};

/** What is wrong with an answer, or null. */
export function wrongAnswer(
  validator: ReturnType<typeof answerValidator>,
  route: Route,
  operation: Operation,
  reply: Reply,
): string | null {
  const { status, body } = reply;
  if (status >= 500) return `answered ${status} ${JSON.stringify(body)}`;
  if (!(status in operation.responses))
    return `answered ${status}, which is not documented: ${JSON.stringify(body)}`;
  const media = Object.keys(operation.responses[status]?.content ?? {});
  const isFile = media.length > 0 && !media.includes('application/json');
  if (isFile)
    return typeof body === 'string' ? null : `answered ${status} with JSON where a file is documented`;
  const validate = validator(route, operation, status);
  if (validate === null) return body === '' ? null : `answered ${status} with a body that is not documented`;
  if (validate(body)) return null;
  const [error] = validate.errors ?? [];
  return `answered ${status} not as documented: ${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
}

/** Compiling costs more than all else: hundreds of operations answer alike, and each file of a worker asks for the same. */
const compilers = new WeakMap<ApiDocument, (schema: object) => ValidateFunction>();

function compilerOf(document: ApiDocument): (schema: object) => ValidateFunction {
  const made = compilers.get(document);
  if (made !== undefined) return made;
  const ajv = new Ajv2020({ strict: false, formats: FORMATS, code: { optimize: false } });
  ajv.addSchema({ $id: 'api', ...document });
  const known = new Map<string, ValidateFunction>();
  const compiled = (schema: object): ValidateFunction => {
    // references of the document, from outside it
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"api#/');
    const validate = known.get(text) ?? ajv.compile(JSON.parse(text) as object);
    known.set(text, validate);
    return validate;
  };
  compilers.set(document, compiled);
  return compiled;
}

/** Compiles the schemas of a document (with closed answers) as they are asked for. */
export function answerValidator(document: ApiDocument) {
  const compiled = compilerOf(document);
  const known = new Map<string, ValidateFunction | null>();
  return (_route: Route, operation: Operation, status: number): ValidateFunction | null => {
    const key = `${operation.operationId} ${status}`;
    let validate = known.get(key);
    if (validate === undefined) {
      const schema = operation.responses[status]?.content?.['application/json']?.schema;
      validate = schema === undefined ? null : compiled(schema);
      known.set(key, validate);
    }
    return validate;
  };
}
