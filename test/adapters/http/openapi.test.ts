import SwaggerParser from '@apidevtools/swagger-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '#test/app.ts';

type Operation = {
  operationId: string;
  security: unknown[];
  responses: Record<string, unknown>;
  deprecated?: boolean;
};
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> };

describe('the interface describes itself', () => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let document: Document;
  beforeAll(async () => {
    app = await startApp();
    document = (await (await fetch(`${app.base}/api/v1/openapi.json`)).json()) as Document;
  });
  afterAll(() => app.close());

  const operations = () =>
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        ...operation,
      })),
    );

  test('as a valid OpenAPI 3.1 document, without a token', async () => {
    expect(document.openapi).toBe('3.1.0');
    // the parser changes what it is given
    const parsed = await SwaggerParser.validate(structuredClone(document) as never);
    expect(parsed.info.title).toBe('Shrimp-farm gateway');
  });

  test('every route is in it, with its slash', () => {
    const shape = (path: string) => path.replaceAll(/\{\w+\}/g, '{}');
    const described = operations().map(({ method, path }) => `${method} ${shape(path)}`);
    const served = app.routes.map(({ method, path }) => `${method} ${shape(path)}`);
    expect(described.toSorted()).toEqual([...served, 'GET /events'].toSorted());
  });

  test('no two paths differ in the names of their parameters alone', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(shapes.filter((shape, i) => shapes.indexOf(shape) !== i)).toEqual([]);
  });

  test('operation ids are unique', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });

  test('every operation says who may call it and what a refusal looks like', () => {
    const silent = operations().filter(
      (operation) =>
        !('x-right' in operation) || !Object.keys(operation.responses).some((status) => status > '399'),
    );
    expect(silent).toEqual([]);
  });

  test('a route that needs no token says so', () => {
    const open = operations().filter(({ security }) => security.length === 0);
    const anyone = app.routes.filter(({ access }) => access.who === 'anyone');
    expect(open.map(({ operationId }) => operationId).length).toBe(anyone.length);
  });
});
