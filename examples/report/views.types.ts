// Written by `edgeway views types`. Change the definitions of the tools instead.

/** `connectView<Tools, 'the_tool_of_the_view'>({ name })` */
export interface Tools {
  get_result: {
    readonly arguments: { /** As the earlier answer has it. Without one, your calls are listed. */ handle?: string; /** Whether to return a result that was returned before. */ again?: boolean }
    readonly result: undefined
  }
  make_report: {
    readonly arguments: { /** The draft, as plan_report returned it */ draft: string; months: ("2026-07" | "2026-08" | "2026-09" | "2026-10" | "2026-11")[] }
    readonly result: { sales: { month: "2026-07" | "2026-08" | "2026-09" | "2026-10" | "2026-11"; sales: number }[] }
  }
  plan_report: {
    readonly arguments: Readonly<Record<string, never>>
    readonly result: { draft: string; months: ("2026-07" | "2026-08" | "2026-09" | "2026-10" | "2026-11")[] }
  }
  report_progress: {
    readonly arguments: { /** The draft, as plan_report returned it */ draft: string }
    readonly result: { wanted: number; done: { month: "2026-07" | "2026-08" | "2026-09" | "2026-10" | "2026-11"; sales: number }[] }
  }
}
