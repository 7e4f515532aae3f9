import { Component, type FunctionComponent } from 'preact';

/** Draws anew when it is given something else, or when a signal that it reads says so: news of its neighbours are no reason. */
export function drawnFor<Props extends object>(Draw: FunctionComponent<Props>): FunctionComponent<Props> {
  class Steady extends Component<{ given: Props }> {
    override shouldComponentUpdate({ given }: { given: Props }): boolean {
      const before = this.props.given;
      return (Object.keys(given) as (keyof Props)[]).some((name) => given[name] !== before[name]);
    }
    override render() {
      return <Draw {...this.props.given} />;
    }
  }
  return (given) => <Steady given={given} />;
}
