import assert from 'node:assert/strict';
import type { Json } from './http.ts';

export const newestRevision = '2026-07-28';
export const revisionBefore = '2025-11-25';

/** Response to a message: its status, header fields and JSON, which is null without a body. */
export type McpAnswer = { status: number; headers: Headers; json: Json };

/** Writer of Model Context Protocol messages, each by hand, for what no official client would send. */
export class McpWriter {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #signal: AbortSignal | null;

  /** Accepts header fields to send with each message, such as `authorization`, and a signal that ends the requests. */
  constructor(
    { baseUrl }: { baseUrl: string },
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
  ) {
    this.#url = `${baseUrl}/mcp`;
    this.#headers = headers;
    this.#signal = signal;
  }

  /** Sends any body. */
  async send(body: string, headers: Record<string, string> = {}): Promise<McpAnswer> {
    const response = await fetch(this.#url, {
      method: 'POST',
      signal: this.#signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.#headers,
        ...headers,
      },
      body,
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : null };
  }

  /** Sends a request in the newest revision. */
  request(
    method: string,
    params: Record<string, unknown> = {},
    revision = newestRevision,
  ): Promise<McpAnswer> {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const named: Record<string, string> = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
    return this.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }), {
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...named,
    });
  }

  /** Sends a request in the previous revision, which needs no session here. */
  requestBefore(method: string, params: Record<string, unknown> = {}): Promise<McpAnswer> {
    return this.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), {
      'mcp-protocol-version': revisionBefore,
    });
  }

  /** Returns the tools' names. */
  async tools(): Promise<string[]> {
    const { json } = await this.request('tools/list');
    return json.result.tools.map(({ name }: { name: string }) => name);
  }

  /** Calls a tool. Returns its result, whether an error or not. */
  async result(name: string, given: unknown = {}): Promise<Json> {
    const { status, json } = await this.request('tools/call', { name, arguments: given });
    assert.equal(status, 200, JSON.stringify(json));
    return json.result;
  }

  /** Calls a tool that must succeed. Returns its structured result. */
  async call(name: string, given: Record<string, unknown> = {}): Promise<Json> {
    const { isError, structuredContent, content } = await this.result(name, given);
    assert.ok(!isError, JSON.stringify(content));
    return structuredContent;
  }

  /** Calls a tool that must refuse. Returns the problem. */
  async refusal(name: string, given: unknown = {}): Promise<Json> {
    const { isError, content } = await this.result(name, given);
    assert.equal(isError, true, JSON.stringify(content));
    return JSON.parse(content[0].text);
  }
}
