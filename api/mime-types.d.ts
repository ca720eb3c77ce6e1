/** The package has no types. */
declare module 'mime-types' {
  /** Returns the extension of files of a type, without a dot. */
  export function extension(contentType: string): string | false;
}
