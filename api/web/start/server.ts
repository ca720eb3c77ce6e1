import { request } from '../client/request.ts';
import type { Server, SignInMethods } from '../client/shapes.ts';

let known: Promise<Server> | null = null;

/** Reads the addresses at which mail is accepted. Asks once, as only the server's settings change them. Throws ApiError. */
export function readServer(): Promise<Server> {
  known ??= request<Server>('GET', '/api/server').catch((error) => {
    known = null;
    throw error;
  });
  return known;
}

/** Reads how people sign in. Without an answer, offers the forms, whose own calls then tell what is wrong. */
export function readMethods(): Promise<SignInMethods> {
  const forms = { password: true, registration: true, oidc: null };
  return request<SignInMethods>('GET', '/api/auth/methods').catch(() => forms);
}

/** Reads a proposal for the name of a first domain, free at this moment. Throws ApiError. */
export async function readProposal(): Promise<string> {
  return (await request<Server>('GET', '/api/server')).proposed_domain;
}
