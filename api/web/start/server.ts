import { request } from '../client/request.ts';
import type { Server } from '../client/shapes.ts';

let known: Promise<Server> | null = null;

/** Where mail goes in; it is asked for once, as it changes with the server's settings only. Throws ApiError. */
export function readServer(): Promise<Server> {
  known ??= request<Server>('GET', '/api/server').catch((error) => {
    known = null;
    throw error;
  });
  return known;
}

/** A free name for a first domain, as of now. Throws ApiError. */
export async function readProposal(): Promise<string> {
  return (await request<Server>('GET', '/api/server')).proposed_domain;
}
