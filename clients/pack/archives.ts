import { crc32 } from 'node:zlib';

/** File in an archive: an ASCII path of up to 100 characters, and its bytes. */
export type Entry = { name: string; bytes: Buffer };

/**
 * Archives of the same entries have the same bytes on every machine and with every Node version: times and owners are fixed, and nothing
 * is compressed because zlib's output varies between versions.
 */

/** Modification time that npm gives to the files in its packages: 1985-10-26T08:15:00Z, in seconds. */
const tarTime = 499_162_500;
const tarBlock = 512;

/** Creates a tar archive (POSIX.1-2001, ustar) in a gzip file (RFC 1952). */
export function tarGzip(entries: Entry[]): Buffer {
  const members = entries.flatMap(({ name, bytes }) => [
    tarHeader(name, bytes.length),
    bytes,
    Buffer.alloc(-bytes.length & (tarBlock - 1)),
  ]);
  return gzipStored(Buffer.concat([...members, Buffer.alloc(2 * tarBlock)]));
}

function tarHeader(name: string, size: number): Buffer {
  const header = Buffer.alloc(tarBlock);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  header.write(name, 0);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(tarTime, 11), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0' + '00', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)}\0 `, 148);
  return header;
}

const mostStored = 65_535;

/** Creates a gzip file of stored blocks (RFC 1951 section 3.2.4). */
function gzipStored(bytes: Buffer): Buffer {
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  const blocks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += mostStored) {
    const block = bytes.subarray(start, start + mostStored);
    const isLast = start + mostStored >= bytes.length;
    blocks.push(fields([isLast ? 1 : 0, 1], [block.length, 2], [~block.length & 0xffff, 2]), block);
  }
  return Buffer.concat([head, ...blocks, fields([crc32(bytes), 4], [bytes.length, 4])]);
}

const zipVersion = 20;
/** 1980-01-01 in MS-DOS format, the first date that ZIP supports. */
const zipDate = 0x21;
const madeByUnix = 0x0314;
const plainFile = 0o100644 * 0x1_0000;

/** Creates a ZIP archive of stored entries (APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16). */
export function zip(entries: Entry[]): Buffer {
  const members: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const size = bytes.length;
    // Both headers have these fields: version, flags, method, time, date, checksum, sizes, lengths of name and extra field.
    const shared = fields(
      ...([
        [zipVersion, 2],
        [0, 2],
        [0, 2],
        [0, 2],
        [zipDate, 2],
        [crc32(bytes), 4],
      ] as const),
      ...([
        [size, 4],
        [size, 4],
        [name.length, 2],
        [0, 2],
      ] as const),
    );
    const member = Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name), bytes]);
    // Comment, disk, internal and external attributes, member offset.
    const place = fields([0, 2], [0, 2], [0, 2], [plainFile, 4], [offset, 4]);
    directory.push(Buffer.from('PK\x01\x02'), fields([madeByUnix, 2]), shared, place, Buffer.from(name));
    members.push(member);
    offset += member.length;
  }
  const listed = Buffer.concat(directory);
  const count = entries.length;
  const end = fields([0, 2], [0, 2], [count, 2], [count, 2], [listed.length, 4], [offset, 4], [0, 2]);
  return Buffer.concat([...members, listed, Buffer.from('PK\x05\x06'), end]);
}

/** Joins unsigned numbers, each with its length in bytes, lowest byte first. */
function fields(...values: (readonly [value: number, bytes: number])[]): Buffer {
  return Buffer.concat(
    values.map(([value, bytes]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
