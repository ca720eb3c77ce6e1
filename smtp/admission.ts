/** Counts connections, in all and by address. */
export type Admission = {
  /** Takes a place. Returns the function that frees it, whose second call does nothing, or the name of the limit reached. */
  enter(address: string): (() => void) | 'smtp.connections' | 'smtp.connectionsPerAddress';
};

export function createAdmission(total: number, perAddress: number): Admission {
  const byAddress = new Map<string, number>();
  let all = 0;
  return {
    enter(address) {
      const count = byAddress.get(address) ?? 0;
      if (all >= total) return 'smtp.connections';
      if (count >= perAddress) return 'smtp.connectionsPerAddress';
      all++;
      byAddress.set(address, count + 1);
      let inside = true;
      return () => {
        if (!inside) return;
        inside = false;
        all--;
        const left = (byAddress.get(address) ?? 1) - 1;
        if (left === 0) byAddress.delete(address);
        else byAddress.set(address, left);
      };
    },
  };
}
