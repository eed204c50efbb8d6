/** supertest for the public API: every response is compared with the OpenAPI document too. */
import type { RequestListener, Server } from 'node:http';
import supertest, { type Test } from 'supertest';
import { expectDocumented } from '../contract/documented.ts';

/** The same as supertest's, but a response that differs from the document rejects. */
export function request(app: RequestListener | Server) {
  return supertest.agent(app).use((test: unknown) => {
    (test as Test).expect(expectDocumented);
  });
}
