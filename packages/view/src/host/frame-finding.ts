/** The sentences about what the policy of a frame has blocked, each with the option of `view()` that would allow it. */
import type { Finding } from './finding.ts'
import type { FrameReport } from './frame-document.ts'

const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^connect-src$/, 'connectDomains'],
  [/^(?:script|style|img|font|media)-src/, 'resourceDomains'],
  [/^frame-src$/, 'frameDomains'],
  [/^base-uri$/, 'baseUriDomains'],
]

/**
 * The sentence of a report.
 *
 * @param ownOrigin that of the page around the frame, at which relative addresses end
 */
export function frameFinding(report: FrameReport, ownOrigin: string): Finding {
  if (report.kind === 'failed') {
    return { code: 'failed', message: `The view failed: ${report.message}. Its console has more` }
  }
  return { code: 'blocked', message: blockedText(report, ownOrigin) }
}

function blockedText(
  { directive, uri }: Extract<FrameReport, { kind: 'blocked' }>,
  ownOrigin: string,
): string {
  if (directive === 'form-action') {
    return 'Blocked the submission of a form: listen to submit, call preventDefault(), and then callTool()'
  }
  const origin = URL.canParse(uri) ? new URL(uri).origin : 'null'
  const blocked = `Blocked ${origin === 'null' ? uri : origin} (${directive})`
  if (origin === ownOrigin) {
    return `${blocked}: a view has no address, so a relative one leads nowhere. Put the file into the document`
  }
  const option = OPTIONS.find(([directives]) => directives.test(directive))?.[1]
  if (option === undefined || origin === 'null') {
    return `${blocked}: no option allows it. Build the view without it`
  }
  return `${blocked}: add it to csp.${option} of view()`
}
