/**
 * Which schemes of redirect URIs belong to apps. The device gives a URI to the program that has claimed its
 * scheme. A scheme of a family below is claimed by the browser, the system or a program of the network: the
 * redirect would run something, read something, or send the code elsewhere than to the app that the consent
 * page describes.
 *
 * The families are those of the lists of Chromium and Firefox, of the schemes that a web site can claim, and
 * of the schemes of networks that IANA has registered. Their patterns include names that do not exist yet.
 *
 * @see https://chromium.googlesource.com/chromium/src/+/main/chrome/browser/external_protocol/external_protocol_handler.cc
 * @see https://html.spec.whatwg.org/multipage/system-state.html#normalize-protocol-handler-parameters
 */

const anyOf = (...families: readonly string[]) => new RegExp(`^(?:${families.join('|')})$`)

/** Families by the names of their members. */
const CLAIMED = anyOf(
  // Scripts.
  '(?:java|vb|j|ecma|live)script|mocha',
  // What a browser reads, or unpacks to read it.
  'about|blob|[cm]id|content|data|file(?:system)?|jar|its|mhtml|mk|res(?:ource)?|view-source|wyciwyg|feed|urn',
  // The pages of a browser itself, and what opens a web page in another browser.
  '(?:chrome|edge|moz|firefox|opera|brave|vivaldi|safari)(?:-[a-z-]+)?|googlechromes?(?:-[a-z-]+)?|microsoft-edge(?:-[a-z-]+)?',
  // What starts programs, or reads and installs them.
  'intents?|android-app|app|apps|shell|search(?:-ms)?|hcp|help|market|package|steam|itm[a-z]*(?:-[a-z-]+)?',
  // Terminals, shared folders and other connections.
  'ssh|scp|rsh|rlogin|telnets?|tn\\d*e?|rdp|vnc|ica|git|svn|hg|rsync|gopher|finger|wais|wss?|tcp|udp',
  '[a-z]{0,2}ftps?|smb|cifs|nfs|afp|disks?|(?:web|cal|card)?davs?|webcals?|ldap[is]?|dict|dns|rt[mps]+|[js]?dbc|odbc',
  'coaps?|mqtts?|amqps?|stuns?|turns?|snmp|redis|s?news|s?nntps?|irc[s6]?|imaps?|pops?|smtps?|xmpp|matrix|magnet|ed2k|bitcoin',
  // Messages, calls and places.
  'mailto|tel|callto|sms(?:to)?|mms(?:to|[a-z])?|sips?|im|pres|facetime(?:-[a-z]+)?|skype|geo|openpgp4fpr|wtai',
)

/**
 * A drive of Windows; a protocol inside of another one, or a scheme of a web site or an extension (`web+x`,
 * `ext+x`); `x-safari-https` and other browsers; `moz-extension`.
 */
const CLAIMED_FORM = /^.$|\+|https?$|-extension$/

/** Whether a scheme is never that of an app. An operator cannot accept it either. */
export function isClaimedScheme(scheme: string): boolean {
  return CLAIMED.test(scheme) || CLAIMED_FORM.test(scheme)
}

/**
 * The handlers of Windows (`ms-msdt`, `ms-officecmd`), of Apple and of other makers of systems; experiments
 * (`x-man-page` opens a terminal); what runs scripts and automations, changes settings or installs programs.
 */
const SYSTEM = new RegExp(
  [
    '^(?:ms|x|microsoft|macos|ios|android|chromeos|gnome|kde)-|-ms$|^(?:vnd|com\\.apple)\\.',
    '^(?:windows|apple|mac(?:app)?store)',
    '^[^.]*(?:script|shortcuts|workflow|settings|prefs|preferences|installer)$',
  ].join('|'),
)

/** Whether a scheme that is not claimed is one of a system. An operator can accept it by its name. */
export function isSystemScheme(scheme: string): boolean {
  return SYSTEM.test(scheme)
}
