/** Which feature of this package brings what an app may lack, for the error that names it. Another feature may bring more. */

type Names = Readonly<Record<string, string>>

/** Without the prototype of an object: a client chooses the name of a method. */
const names = (all: Names): Names => Object.assign(Object.create(null), all)

export const BROUGHT_BY = {
  /** Members of the context. */
  context: names({
    elicit: 'asks',
    sample: 'asks',
    listRoots: 'asks',
    step: 'asks',
    sleep: 'asks',
    waitFor: 'asks',
    webhook: 'asks',
    state: 'state',
    file: 'files',
    files: 'files',
    page: 'files',
    upload: 'files',
    emit: 'events',
    notify: 'changes',
  }),
  /** Members of `edgeway`. */
  api: names({
    admin: 'admin',
    events: 'events',
    notify: 'changes',
    tasks: 'tasks',
    timeline: 'timeline',
  }),
  /** Methods that are served outside of dispatch. */
  methods: names({ 'subscriptions/listen': 'changes' }),
  /** Members of the config of a tool. */
  tool: { task: 'tasks', files: 'files', limitClass: 'rateLimits', ui: 'apps' },
} as const
