package io.berth.slurm;

import io.berth.slurm.GetOpt.Given;
import io.berth.slurm.SrunOption.Meaning;
import io.berth.slurm.SrunOption.Setting;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// The words after `srun`, taken apart by whom they speak to.
///
/// @param job options of the job, as `sbatch` has them
/// @param step options of the step, as they are handed on
/// @param command the program and its arguments; empty if none is given
public record SrunCommandLine(
        GetOpt<SbatchOption> job, List<String> step, Set<Setting> own, List<String> command) {

    /// @throws InvalidOption if an option is unknown, lacks its argument or is not supported
    public static SrunCommandLine of(List<String> words) throws InvalidOption {
        GetOpt<SrunOption> line = GetOpt.untilOperand(SrunOption.TABLE, words);
        var job = new ArrayList<Given<SbatchOption>>();
        var step = new ArrayList<String>();
        var own = EnumSet.noneOf(Setting.class);
        for (Given<SrunOption> given : line.options()) {
            String name = "--" + given.option().longName();
            switch (given.option().meaning()) {
                case Meaning.OfJob ofJob -> job.add(new Given<>(ofJob.option(), given.value()));
                case Meaning.OfStep _ ->
                        step.add(given.value() == null ? name : name + "=" + given.value());
                case Meaning.Own it -> own.add(it.setting());
                case Meaning.Ignored _ -> {}
                case Meaning.Refused it ->
                        throw InvalidOption.refused(name + " is not supported yet" + it.instead());
            }
        }
        return new SrunCommandLine(
                new GetOpt<>(List.copyOf(job), List.of()), step, own, line.operands());
    }

    public boolean has(Setting setting) {
        return own.contains(setting);
    }
}
