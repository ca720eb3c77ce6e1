/** Types for a package that includes none. */
declare module 'html-encoding-sniffer' {
  /** Returns the name of an encoding in the encoding standard. */
  export default function sniff(
    bytes: Uint8Array,
    options: { transportLayerEncodingLabel?: string; defaultEncoding: string },
  ): string;
}
