/** Parts of a Node socket, TLS or DNS error that identify the failure. */
type Failed = Error & {
  code?: unknown;
  syscall?: unknown;
  hostname?: unknown;
  address?: unknown;
  port?: unknown;
};

/** OpenSSL codes for a chain that does not end in a certificate from the trust store. */
const untrusted = new Set([
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_GET_ISSUER_CERT'],
]);

/**
 * Describes why a connection failed, in a sentence that names the remedy. Returns null for another kind of error. Also searches the
 * error's causes. `useTls` says how an address requests TLS.
 */
export function connectionFault(error: unknown, useTls: string): string | null {
  if (!(error instanceof Error)) return null;
  return faultOf(error, useTls) ?? connectionFault(error.cause, useTls);
}

function faultOf(error: Failed, useTls: string): string | null {
  const { code, message } = error;
  const where = endpointOf(error);
  if (typeof code !== 'string') return null;
  if (untrusted.has(code)) {
    return "the server's certificate is signed by an untrusted authority: set NODE_EXTRA_CA_CERTS to a file with that authority's certificate";
  }
  if (/^(ERR_SSL_|EPROTO$)/.test(code))
    return `the TLS handshake failed (${code}): the server might not support TLS on this port`;
  switch (code) {
    case 'ENOTFOUND':
    case 'ENODATA':
      return `${nameOf(error)} does not exist in DNS`;
    case 'EAI_AGAIN':
    case 'ESERVFAIL':
    case 'ETIMEOUT':
      return `the DNS lookup for ${nameOf(error)} received no answer`;
    case 'ECONNREFUSED':
      return error.syscall === 'connect' ? `nothing listens on ${where}` : 'the DNS server is unreachable';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `no route to ${where}`;
    case 'ETIMEDOUT':
      return 'the connection timed out: a firewall may be blocking it, or the server may not support TLS on this port';
    case 'CERT_HAS_EXPIRED':
      return "the server's certificate has expired";
    case 'CERT_NOT_YET_VALID':
      return "the server's certificate is not valid yet";
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `the server's certificate does not cover this name: ${message.replace(/^.*?: /, '')}`;
    case 'ECONNRESET':
      return message.includes('secure TLS connection')
        ? 'the server closes the connection when TLS begins: it might not support TLS on this port'
        : `the server closes the connection immediately: it may expect TLS (${useTls})`;
    default:
      return null;
  }
}

/** Returns the name that a failed lookup was for. Lookup errors have `hostname`, but MongoDB's driver repeats it only in the message. */
function nameOf(error: Failed): string {
  return typeof error.hostname === 'string' ? error.hostname : (error.message.split(' ').at(-1) ?? '');
}

function endpointOf({ address, port }: Failed): string {
  if (typeof address !== 'string') return 'its address';
  return typeof port === 'number' ? `${address.includes(':') ? `[${address}]` : address}:${port}` : address;
}
