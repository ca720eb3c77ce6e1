import path from 'node:path';
import { defineConfig } from 'vite';

/** Build of the page and of the reference into `dist/`: an HTML file each, and files under `assets/` with a hash of their content in the name. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  // Scripts find each other by their own address, and the server completes those in the documents.
  base: './',
  // The classic form, with children as arguments, makes 1 % shorter code than the automatic one.
  oxc: {
    jsx: { runtime: 'classic', pragma: '_h', pragmaFrag: '_f' },
    jsxInject: "import { h as _h, Fragment as _f } from 'preact';",
  },
  plugins: [
    // Styles are read at the start, and a module that is read later has one file: nothing is left that Vite would load ahead of it.
    {
      name: 'without-preload',
      enforce: 'pre',
      load: (id) =>
        id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null,
    },
    // The page allows the elements of HTML alone. DOMPurify then reads no names of SVG and MathML, and removes what has their namespaces.
    {
      name: 'html-alone',
      transform: (code, id) =>
        id.includes('/dompurify/')
          ? code.replace(/(?<=^const (?:svg|svg\$1|svgFilters|mathMl|mathMl\$1) = freeze\(\[)[^\]]*/gm, '')
          : null,
    },
  ],
  build: {
    outDir: 'dist',
    target: 'es2023',
    // The first browsers with `light-dark()`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    // One style sheet is smaller than several, and code that is read later needs none of its own.
    cssCodeSplit: false,
    // The documents name what the start reads. A module that is read later has one file.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_, files, { hostType }) => (hostType === 'html' ? files : []),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'reference.html'].map((name) => path.join(import.meta.dirname, name)),
    },
  },
});
