package io.berth.log;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/// The keys by which records are believed: a folder with a file `<id>.pem` for each public key. It
/// is read for each record, so that keys come and go without a restart: a new one is put beside the
/// old, the writer changes over, the old one is removed.
public final class TrustedKeys {

    private final Path folder;
    private final Signatures signatures = new Signatures();

    /// @param folder of the public keys; whoever may write there gives orders
    public TrustedKeys(Path folder) {
        this.folder = folder;
    }

    /// Why a record is not to be believed, in one line; nothing if one of the keys has signed it.
    public Optional<String> objection(ConsumerRecord<byte[], byte[]> record) {
        return signatures.objection(record, this::key);
    }

    private byte[] key(String id) throws IOException, Signatures.NoKey {
        try {
            return Pem.block(Files.readString(folder.resolve(id + ".pem")), "PUBLIC KEY");
        } catch (NoSuchFileException e) {
            throw new Signatures.NoKey("is not among the trusted ones in " + folder);
        }
    }
}
