/** The JSON body of every error, and the statuses that the public API answers errors with. */
import { z } from 'zod';
import { field } from './fields.ts';

export const problem = z
  .strictObject({
    status: field(z.int().min(400).max(599), 'the HTTP status again', null),
    title: field(z.string(), 'the name of the status, in English'),
    detail: field(z.string(), 'what is wrong with this request and what to do, in English'),
  })
  .meta({ id: 'Problem', description: 'an error' });

export type ProblemBody = z.infer<typeof problem>;

/**
 * By status: the name of the response in the OpenAPI document, and when it is sent. `header` is
 * sent with it.
 */
export const PROBLEMS: Readonly<
  Record<number, { name: string; meaning: string; header?: 'Allow' | 'Retry-After' }>
> = {
  400: {
    name: 'BadRequest',
    meaning: 'The request is not readable HTTP, or the percent-encoding of its path is malformed.',
  },
  404: {
    name: 'NotFound',
    meaning:
      'There is no such station, region, locale or date, or the path names nothing. `detail` says which, and which places have nearly that name.',
  },
  405: {
    name: 'MethodNotAllowed',
    meaning: 'The method of the request was none of GET, HEAD and OPTIONS.',
    header: 'Allow',
  },
  408: { name: 'RequestTimeout', meaning: 'The request did not arrive in time.' },
  417: {
    name: 'ExpectationFailed',
    meaning: 'The request has an Expect header other than `100-continue`.',
  },
  431: {
    name: 'RequestHeaderFieldsTooLarge',
    meaning: 'The request line and headers are too large.',
  },
  500: {
    name: 'InternalServerError',
    meaning: 'The service failed. The operator finds the reason in the log.',
  },
  503: {
    name: 'ServiceUnavailable',
    meaning: 'The service is starting, or its database is unreachable. Retry after the time given.',
    header: 'Retry-After',
  },
};
