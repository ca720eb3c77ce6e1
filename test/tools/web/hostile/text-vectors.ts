/**
 * Texts for header fields, names, file names, calendars and bodies that look like markup, a URL or a script. An email contains
 * two of them: the long ones come second.
 */
export const textVectors: Record<string, string> = {
  'text-script': '<script>RUN</script>',
  'text-image': '<img src=x onerror=RUN>',
  'text-attribute-end': '"><img src=x onerror=RUN>',
  'text-attribute-end-single': "'><svg onload=RUN>",
  'text-handler-in-attribute': '" autofocus tabindex=1 onfocus="RUN',
  'text-entities': '&lt;script&gt;RUN&lt;/script&gt;',
  'text-entities-twice': '&amp;lt;img src=x onerror=RUN&amp;gt;',
  'text-title-end': '</title></textarea></style><script>RUN</script>',
  'text-comment-end': '--><script>RUN</script>',
  'text-template': '`{{RUN}}{{constructor.constructor("RUN")()}}#{RUN}',
  'text-script-end': '</script><script>RUN</script>',
  'text-javascript-url': 'javascript:RUN',
  'text-data-url': 'data:text/html,<script>RUN</script>',
  'text-direction': '\u202e\u2066gnp.exe\u2069<b onmouseover=RUN>',
  'text-object-keys': '__proto__ constructor toString <script>RUN</script>',
  'text-combining': `${'a\u0300'.padEnd(800, '\u0301\u0489')}<script>RUN</script>`,
  'text-json': '{"__html":"<img src=x onerror=RUN>","type":"script"}',
  'text-without-spaces': `${'W'.repeat(5000)}<script>RUN</script>`,
  'text-separators': 'a\u2028b\u2029<svg/onload=RUN>\u0085\u200b',
  'text-path': '../../../../<script>RUN</script>.html',
};
