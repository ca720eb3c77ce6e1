/**
 * Removes undici's getters from Node's HTTP module (24.21). Each `import` of that module would read them and so load undici, which costs
 * 40 ms and 14 MB. Must run before the first such `import`.
 */
export function withoutUndici(): void {
  const http = process.getBuiltinModule('node:http');
  for (const name of ['WebSocket', 'CloseEvent', 'MessageEvent']) {
    Object.defineProperty(http, name, { value: undefined });
  }
}
