/** Types for a package that includes none. */
declare module 'mime-types' {
  /** Returns a type's file extension, without a dot. */
  export function extension(contentType: string): string | false;
}
