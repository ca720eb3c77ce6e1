import { ApiError } from '../client/request.ts';

/** Error in the API's own words. */
export function Failure({ error }: { error: unknown }) {
  return (
    <p class="message-failure" role="alert">
      {error instanceof ApiError ? error.problem.detail : String(error)}
    </p>
  );
}
