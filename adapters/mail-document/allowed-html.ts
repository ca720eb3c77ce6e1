const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Elements that an email may have. None loads a document, runs a script, sends a form, or changes the document itself. */
export const elements = words(`
  a abbr acronym address area article aside b bdi bdo big blockquote body br button caption center cite code col colgroup data
  dd del details dfn dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img
  input ins kbd label legend li main map mark marquee menu meter nav nobr ol optgroup option output p pre progress q rp rt ruby s
  samp section select small span strike strong sub summary sup table tbody td textarea tfoot th thead time tr tt u ul var wbr
`);

/** Elements that are removed with their content. Other forbidden elements keep their content. */
export const dropped = words(`
  audio canvas iframe math noembed noframes plaintext script svg template title video xmp
`);

/** Attributes that an email may have, in addition to data and accessibility attributes. None of them sends a request by itself. */
export const attributes = words(`
  abbr align alt axis background bgcolor border bordercolor cellpadding cellspacing char charoff charset checked class clear color
  cols colspan compact coords datetime dir disabled face for frame headers height hidden high href hreflang hspace id ismap label
  lang leftmargin low marginheight marginwidth max maxlength media min multiple name noshade nowrap open optimum placeholder
  readonly rel required rev reversed role rows rowspan rules scope selected shape size span src start style summary tabindex
  title topmargin translate type usemap valign value vspace width wrap
`);
