/** The package has no types. */
declare module 'html-encoding-sniffer' {
  /** Returns the name of an encoding of the encoding standard. */
  export default function sniff(
    bytes: Uint8Array,
    options: { transportLayerEncodingLabel?: string; defaultEncoding: string },
  ): string;
}
