/**
 * HTML that tries to run a script, to send a request, or to leave its frame. RUN stands for a script that reports that it ran,
 * HOST for a host that must not be requested. Both contain the vector's name (`vector.ts`).
 */
export const htmlVectors: Record<string, string> = {
  script: '<script>RUN</script>',
  'script-remote': '<script src="https://HOST/x.js"></script>',
  'script-module': '<script type="module">RUN</script>',
  'script-in-upper-case': '<SCRIPT>RUN</SCRIPT>',
  'script-with-a-slash': '<script/x>RUN</script >',
  'script-unclosed': '<script>RUN',
  'script-nested-in-itself': '<scr<script>ipt>RUN</scr</script>ipt>',
  'script-after-nul': '<scr\0ipt>RUN</scr\0ipt>',
  'script-in-comment-end': '<!--><script>RUN</script>-->',
  'script-in-comment-bang': '<!-- --!><script>RUN</script> -->',
  'script-in-conditional-comment': '<!--[if gte mso 9]><script>RUN</script><![endif]-->',
  'script-in-revealed-comment': '<![if !mso]><script>RUN</script><![endif]>',
  'script-in-noscript': '<noscript><p title="</noscript><script>RUN</script>"></noscript>',
  'script-in-noembed': '<noembed><p title="</noembed><script>RUN</script>"></noembed>',
  'script-in-noframes': '<noframes><p title="</noframes><script>RUN</script>"></noframes>',
  'script-in-textarea': '<textarea><p title="</textarea><script>RUN</script>"></textarea>',
  'script-in-title': '<title><p title="</title><script>RUN</script>"></title>',
  'script-in-xmp': '<xmp><p title="</xmp><script>RUN</script>"></xmp>',
  'script-in-style': '<style><p title="</style><script>RUN</script>"></style>',
  'script-in-style-string': '<style>p{content:"<\\/style><script>RUN</script>"}</style>',
  'script-in-template':
    '<template><script>RUN</script></template><template shadowrootmode=open><script>RUN</script></template>',
  'script-in-select': '<select><option><script>RUN</script></option></select>',
  'script-in-table': '<table><tr><td><script>RUN</script></td></tr><script>RUN</script></table>',
  'script-in-frameset': '<frameset onload="RUN"><frame src="javascript:RUN"></frameset>',
  'script-in-cdata': '<![CDATA[<script>RUN</script>]]>',
  'script-in-processing-instruction': '<?xml version="1.0"?><script>RUN</script>',
  'script-in-marquee': '<marquee><script>RUN</script></marquee>',
  'script-in-iframe-text': '<iframe><p title="</iframe><script>RUN</script>"></iframe>',
  'onload-of-body': '<body onload="RUN">',
  'onload-of-late-body': '<p>x</p><body onload="RUN" onpageshow="RUN" onresize="RUN" onhashchange="RUN">',
  'onload-of-html': '<html onload="RUN" onmouseover="RUN">',
  'onload-of-style': '<style onload="RUN">p{}</style>',
  'onload-of-link': '<link rel=stylesheet href="data:text/css," onload="RUN">',
  'onload-of-image': '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onload="RUN" onerror="RUN">',
  'onerror-of-image': '<img src=x onerror="RUN">',
  'onerror-without-quotes': '<img src=x onerror=RUN>',
  'onerror-after-slash': '<img/src=x/onerror=RUN>',
  'onerror-after-tab': '<img src=x\tonerror=RUN>',
  'onerror-after-form-feed': '<img src=x\fonerror=RUN>',
  'onerror-in-entities': '<img src=x onerror="&#82;&#85;&#78;;RUN">',
  'onerror-in-backticks': '<img src=`x` onerror=`RUN`>',
  'onerror-after-quote': '<img """><img src=x onerror="RUN">">',
  'onerror-of-image-alias': '<image src=x onerror="RUN">',
  'onerror-of-picture':
    '<picture><source srcset="https://HOST/a 1x"><img src=x onerror="RUN" srcset="https://HOST/b 1x"></picture>',
  'onerror-of-video':
    '<video src="https://HOST/v" poster="https://HOST/p" onerror="RUN" onloadstart="RUN"><source src=x onerror="RUN"></video>',
  'onerror-of-audio': '<audio src="https://HOST/a" onerror="RUN" autoplay></audio>',
  'onerror-of-input': '<input type=image src="https://HOST/i" onerror="RUN">',
  'onerror-of-object': '<object data="https://HOST/o" onerror="RUN"></object>',
  'onfocus-with-autofocus':
    '<input autofocus onfocus="RUN"><textarea autofocus onfocus="RUN"></textarea><select autofocus onfocus="RUN"></select>',
  'onfocus-with-tabindex': '<p id=x tabindex=1 autofocus contenteditable onfocus="RUN">x</p>',
  'ontoggle-of-details': '<details open ontoggle="RUN">x</details>',
  'ontoggle-of-popover':
    '<div popover=auto id=po ontoggle="RUN" onbeforetoggle="RUN">x</div><button popovertarget=po autofocus>x</button>',
  'onstart-of-marquee': '<marquee onstart="RUN" onfinish="RUN" loop=1 width=0>x</marquee>',
  onanimationstart:
    '<style>@keyframes k{from{opacity:0}to{opacity:1}}</style><p style="animation:k 1ms" onanimationstart="RUN" onanimationend="RUN">x</p>',
  ontransitionend:
    '<style>p{transition:all 1ms}@starting-style{p{opacity:0}}</style><p ontransitionend="RUN" ontransitionrun="RUN">x</p>',
  'onscroll-of-box':
    '<div style="overflow:auto;height:9px" onscroll="RUN" onscrollend="RUN"><p id=y style="height:99px">x</p></div>',
  oncontentvisibilityautostatechange:
    '<p oncontentvisibilityautostatechange="RUN" style="content-visibility:auto">x</p>',
  onsecuritypolicyviolation: '<body onsecuritypolicyviolation="RUN"><img src="https://HOST/x">',
  'onclick-of-all':
    '<div onclick="RUN" onpointermove="RUN" onmouseenter="RUN" style="position:fixed;inset:0">x</div>',
  'href-javascript': '<a href="javascript:RUN">x</a>',
  'href-javascript-mixed-case': '<a href="JaVaScRiPt:RUN">x</a>',
  'href-javascript-with-tab': '<a href="java\tscript:RUN">x</a><a href="java&Tab;script&colon;RUN">x</a>',
  'href-javascript-with-newline': '<a href="java\nscript:RUN">x</a><a href="java&NewLine;script:RUN">x</a>',
  'href-javascript-after-control': '<a href="\u0001javascript:RUN">x</a><a href="&#14; javascript:RUN">x</a>',
  'href-javascript-in-entities': '<a href="&#106;&#x61;&#118;ascript&#58;RUN">x</a>',
  'href-javascript-without-semicolons': '<a href=&#0000106&#0000097vascript:RUN>x</a>',
  'href-vbscript': '<a href="vbscript:RUN">x</a>',
  'href-data': '<a href="data:text/html,<script>RUN</script>" target=_self>x</a>',
  'href-view-source': '<a href="view-source:javascript:RUN">x</a><a href="blob:https://HOST/x">x</a>',
  'href-of-area':
    '<map name=m><area shape=default href="javascript:RUN"></map><img usemap=#m width=9 height=9>',
  'href-with-ping': '<a href="https://HOST/a" ping="https://HOST/p" target=_top>x</a>',
  'href-download': '<a href="https://HOST/a" download="x.exe" rel=opener target=_self>x</a>',
  'src-javascript': '<img src="javascript:RUN"><iframe src="javascript:RUN"></iframe>',
  'iframe-remote': '<iframe src="https://HOST/f"></iframe>',
  'iframe-srcdoc': '<iframe srcdoc="<script>RUN</script>"></iframe>',
  'iframe-data': '<iframe src="data:text/html,<script>RUN</script>"></iframe>',
  'iframe-of-ours': '<iframe src="/manage/keys"></iframe><iframe src="/api/tokens"></iframe>',
  'portal-and-fencedframe':
    '<portal src="https://HOST/p"></portal><fencedframe src="https://HOST/f"></fencedframe>',
  'object-data': '<object data="data:text/html,<script>RUN</script>" type="text/html"></object>',
  'object-of-ours': '<object data="/api/openapi.json"></object>',
  'embed-data':
    '<embed src="data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 onload=%22RUN%22/>">',
  'applet-code': '<applet code="x" archive="https://HOST/a.jar"></applet>',
  'base-href':
    '<base href="https://HOST/"><img src="x.png"><a href="y">x</a><link rel=stylesheet href="z.css">',
  'base-target': '<base target="_top"><a href="https://HOST/">x</a>',
  'meta-refresh': '<meta http-equiv=refresh content="0;url=https://HOST/m">',
  'meta-refresh-javascript': '<meta http-equiv=refresh content="0;url=javascript:RUN">',
  'meta-refresh-data': '<meta http-equiv="refresh" content="0; url=data:text/html,<script>RUN</script>">',
  'meta-policy':
    '<meta http-equiv=Content-Security-Policy content="script-src * \'unsafe-inline\'; img-src *"><img src="https://HOST/i">',
  'meta-cookie':
    '<meta http-equiv=Set-Cookie content="sandpost_session=x"><meta name=referrer content=unsafe-url>',
  'meta-charset-utf7': '<meta charset=utf-7>+ADw-script+AD4-RUN+ADw-/script+AD4-',
  'meta-prefetch-control': '<meta http-equiv=x-dns-prefetch-control content=on><a href="https://HOST/">x</a>',
  'link-stylesheet': '<link rel=stylesheet href="https://HOST/s.css">',
  'link-dns-prefetch': '<link rel=dns-prefetch href="//HOST">',
  'link-preconnect': '<link rel=preconnect href="https://HOST">',
  'link-prefetch': '<link rel="prefetch prerender next" href="https://HOST/p">',
  'link-preload':
    '<link rel=preload as=image href="https://HOST/p"><link rel=modulepreload href="https://HOST/m.js">',
  'link-icon': '<link rel="icon manifest" href="https://HOST/i"><link rel=import href="https://HOST/i">',
  'form-action':
    '<form action="https://HOST/f" id=f><input name=a value=b><button autofocus>x</button></form>',
  'form-action-javascript':
    '<form action="javascript:RUN"><button formaction="javascript:RUN">x</button><input type=submit></form>',
  isindex: '<isindex type=image src="https://HOST/i" onerror="RUN" action="javascript:RUN">',
  'keygen-and-menuitem': '<keygen autofocus onfocus="RUN"><menuitem icon="javascript:RUN">x</menuitem>',
  'image-remote': '<img src="https://HOST/i.png"><img src="//HOST/i.png"><img src="http:\\\\HOST/i.png">',
  'image-srcset': '<img src="data:," srcset="https://HOST/1.png 1x, https://HOST/2.png 2x" sizes=1px>',
  'image-lowsrc': '<img lowsrc="https://HOST/l" dynsrc="https://HOST/d" longdesc="https://HOST/x">',
  'image-attribution':
    '<img attributionsrc="https://HOST/a" src="data:,"><a attributionsrc="https://HOST/b" href="#">x</a>',
  'background-attribute':
    '<body background="https://HOST/b"><table background="https://HOST/t"><tr><td background="https://HOST/d">x</table>',
  'custom-element': '<x-y onclick=RUN is=script><slot onslotchange="RUN">x</slot></x-y>',
  'clobbered-attributes':
    '<form id=a><input name=attributes><input name=parentNode><img src=x onerror="RUN"></form>',
  'clobbered-nodes':
    '<form id=nodeName><input name=removeAttribute><input name=childNodes onfocus="RUN" autofocus></form><img name=body>',
  'deep-nesting': `${'<div>'.repeat(600)}<img src=x onerror="RUN">${'</div>'.repeat(600)}`,
  'many-attributes': `<img ${Array.from({ length: 300 }, (_, at) => `a${at}=1`).join(' ')} src=x onerror="RUN">`,
  'attribute-with-markup': '<a title="&lt;/a>&lt;script>RUN&lt;/script>" id="</p><script>RUN</script>">x</a>',
  'markup-in-entities': '&lt;script&gt;RUN&lt;/script&gt;',
  'speculation-rules': '<script type=speculationrules>{"prefetch":[{"urls":["https://HOST/s"]}]}</script>',
  'import-map':
    '<script type=importmap>{"imports":{"a":"https://HOST/a.js"}}</script><script type=module>import "a";RUN</script>',
};
