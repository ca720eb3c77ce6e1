import type Joi from 'joi';
import type { Asked, Call } from './route.ts';
import { routes } from './routes/index.ts';

type Performing = Pick<Call<string, unknown, unknown, 'identified'>, 'perform'>;

/** REST API operation whose responses have type `W`. */
export type Operation<W> = (call: Performing, asked: Asked) => Promise<W>;

/** Returns a REST API operation by its id. `shape` is its response shape. */
export function operation<W>(operationId: string, shape: { schema: Joi.AnySchema<W> }): Operation<W> {
  const found = routes.find((route) => route.operationId === operationId);
  if (found === undefined || !('shape' in found.success) || found.success.shape !== shape)
    throw new Error(`no operation ${operationId} returns this shape`);
  return async (call, asked) => (await call.perform(found, asked)) as W;
}

/** Returns a REST API operation that responds with bytes, which it sends itself. */
export function bytesOperation(operationId: string): Operation<void> {
  const found = routes.find((route) => route.operationId === operationId);
  if (found === undefined || !('contentType' in found.success))
    throw new Error(`no operation ${operationId} returns bytes`);
  return async (call, asked) => {
    await call.perform(found, asked);
  };
}
