/** Faults of the views of tools. */
import { directoryFaults } from '../fault.ts'
import { claude, openai } from '../sources.ts'

const CSP = openai('views define a CSP with exact domains', 'review')

export const VIEWS = directoryFaults(CSP, {
  'view-without-policy': {
    meaning: 'A view declares no content security policy.',
    fix: 'Set _meta.ui.csp of the resource: { connectDomains: [], resourceDomains: [] } for a view that needs no other origin. view() of Edgeway sends it.',
  },
  'view-domain-wildcard': {
    meaning: 'The policy of a view names a domain with a wildcard.',
    fix: 'List each host by its exact origin, such as "https://api.example.com".',
  },
  'view-domain-invalid': {
    meaning: 'The policy of a view has an entry that is not an exact origin.',
    fix: 'Use lists of https origins without a path, such as "https://api.example.com".',
    directories: {
      ...claude('views', 'review'),
      ...CSP,
    },
  },
  'view-frame-domain': {
    meaning: 'A view embeds a foreign domain without an explanation.',
    fix: 'Remove it from frameDomains, or explain it: in directory.json, openai.frameDomains: { "https://player.example.com": "Plays the recording" }.',
    directories: openai('frame_domain_explanation_required', 'errors'),
  },
})
